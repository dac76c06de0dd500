/** What people call a run: its pipeline and its number there, as far as they are known. */
export const runTitle = (pipeline: string | undefined, number: number | undefined): string =>
  [pipeline ?? 'Run', number !== undefined && `#${number}`].filter(Boolean).join(' ')

/** So much of an input is shown where it stands among others. Characters. */
const longest = 40

/** The inputs of a run in a line: texts, numbers and switches, as "stage live · image 2.0.0"; empty without any. */
export const inputsInALine = (inputs: Readonly<Record<string, unknown>>): string =>
  Object.entries(inputs)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value) && value !== '')
    .map(([name, value]) => `${name} ${shortened(String(value))}`)
    .join(' · ')

const shortened = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text)
