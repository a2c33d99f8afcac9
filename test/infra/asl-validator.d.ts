/** The package ships no types. */
declare module 'asl-validator' {
  interface Finding {
    readonly 'Error code'?: string;
    readonly Message?: string;
  }
  function validate(definition: object): {
    readonly isValid: boolean;
    readonly errors: readonly Finding[];
  };
  export = validate;
}
