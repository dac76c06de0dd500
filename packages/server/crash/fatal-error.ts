/** Why the current test cannot succeed, such as the exit of a service. The tests of a file run one by one. */
let fatalError: Error | undefined

/** Ends every wait of the current test with this error, unless there is an earlier one. */
export function reportFatalError(error: Error): void {
  fatalError ??= error
}

/** Throws if the current test cannot succeed any more. */
export function throwFatalError(): void {
  if (fatalError) throw fatalError
}

/** Returns the error, if any, and forgets it: at the end of a test, or in a test that expects it. */
export function takeFatalError(): Error | undefined {
  const error = fatalError
  fatalError = undefined
  return error
}
