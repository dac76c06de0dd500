/** Error for invalid arguments or environment variables, for which no request is sent. */
export class CalledWrongly extends Error {
  override readonly name = 'CalledWrongly'
}
