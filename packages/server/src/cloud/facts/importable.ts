/** Something that runs in an account, as a list of the cloud tells of it. */
export type Importable = {
  arn: string
  /** As deployments name it, where that is not its ARN. */
  resourceArn?: string
  name: string
  /** What it is in, such as a cluster. */
  group?: string
  /** What it runs, as far as the list says it. */
  runs?: string
}

/** A page of a list of the cloud's, and what leads on. */
export type ImportablePage = { found: Importable[]; next: string | undefined }
