/** Bundled into the style sheet. */
declare module '*.css';
