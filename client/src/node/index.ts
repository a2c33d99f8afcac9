export { DirectorySink } from './directory-sink.ts';
