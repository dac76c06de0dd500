import { UsageError } from '@sluice/calls/usage-error'

/** Returns an input by name; an empty string if it is not set. */
export type Inputs = (name: string) => string

/** Returns a function that reads inputs, which both CI systems pass as INPUT_NAME. */
export const inputsOf =
  (env: NodeJS.ProcessEnv): Inputs =>
  (name) =>
    (env[`INPUT_${name.toUpperCase()}`] ?? '').trim()

export function readBoolean(input: Inputs, name: string, usual: boolean): boolean {
  const word = input(name)
  if (word === '') return usual
  if (word === 'true' || word === 'false') return word === 'true'
  throw new UsageError(`${name} is true or false.`)
}
