/** CSS imports are bundled into the style sheet. */
declare module '*.css';
