/** Error for invalid arguments or environment variables, for which no request is sent. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
