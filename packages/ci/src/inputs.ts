import { CalledWrongly } from '@sluice/calls/called-wrongly'

/** What a job says of something, by its name: nothing where it says nothing. */
export type Inputs = (name: string) => string

/** Both hosts hand inputs over as INPUT_NAME. */
export const inputsOf =
  (env: NodeJS.ProcessEnv): Inputs =>
  (name) =>
    (env[`INPUT_${name.toUpperCase()}`] ?? '').trim()

/** An input that says whether something is so. */
export function isSaid(input: Inputs, name: string, usual: boolean): boolean {
  const word = input(name)
  if (word === '') return usual
  if (word === 'true' || word === 'false') return word === 'true'
  throw new CalledWrongly(`${name} is true or false.`)
}
