/** `unchanged`: the state it leaves was not there, because this step or a later one came first. */
export type Transition = 'changed' | 'unchanged';
