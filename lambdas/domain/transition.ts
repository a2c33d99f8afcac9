/**
 * `unchanged`: the item was not in the state that the write requires, for example because this step has already run.
 */
export type Transition = 'changed' | 'unchanged';
