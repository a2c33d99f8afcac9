/** A valid graph that cannot be run; `operator` is the unsupported part. */
export class GraphNotSupported extends Error {
  override readonly name = 'GraphNotSupported';
  readonly operator: string;

  constructor(operator: string, reason: string) {
    super(`the model's graph is not supported: ${operator}: ${reason}`);
    this.operator = operator;
  }
}

/** An invalid model file: truncated, contradictory or hostile. */
export class ModelInvalid extends Error {
  override readonly name = 'ModelInvalid';

  constructor(reason: string) {
    super(`the model file is invalid: ${reason}`);
  }
}

export class OnnxRuntimeMissing extends Error {
  override readonly name = 'OnnxRuntimeMissing';

  /** @param reason why the project's own evaluator does not run the graph */
  constructor(reason?: GraphNotSupported) {
    super(
      `the model needs ONNX Runtime (about 290 MB), which is not installed: run "npm run setup models/onnx-runtime"${reason ? `. Tree ensembles run without it, but ${reason.message}` : ''}`,
    );
  }
}
