/** Error of the simulated cloud, with the code and HTTP status of AWS. */
export class CloudError extends Error {
  readonly code: string
  readonly status: number

  constructor(code: string, message: string, status = 400) {
    super(message)
    this.code = code
    this.status = status
  }
}

export const invalidParameter = (message: string) => new CloudError('InvalidParameterException', message)
export const clientException = (message: string) => new CloudError('ClientException', message)
