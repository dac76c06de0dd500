/** Existing cloud resource that can be imported. */
export type Importable = {
  arn: string
  /** ARN used in deployments, if it differs. */
  resourceArn?: string
  name: string
  /** Parent resource, such as a cluster. */
  group?: string
  /** What it runs, if the list contains it. */
  runs?: string
}

/** Page of a cloud list, with the token of the next page. */
export type ImportablePage = { found: Importable[]; next: string | undefined }
