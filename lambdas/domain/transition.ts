/** `unchanged`: the item is not in the expected state, because this step or a later one has already run. */
export type Transition = 'changed' | 'unchanged';
