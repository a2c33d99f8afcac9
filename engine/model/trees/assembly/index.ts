export { predictLarge } from './large-trees';
export { predictSmall } from './small-trees';
