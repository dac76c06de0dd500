/** Returns the title of a run: pipeline and number, as far as they are loaded. */
export const runTitle = (pipeline: string | undefined, number: number | undefined): string =>
  [pipeline ?? 'Run', number !== undefined && `#${number}`].filter(Boolean).join(' ')

/** Maximum length of an input value in a summary. Characters. */
const maxValueLength = 40

/** Summarizes scalar inputs of a run, such as "stage live · image 2.0.0"; empty without any. */
export const summarizeInputs = (inputs: Readonly<Record<string, unknown>>): string =>
  Object.entries(inputs)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value) && value !== '')
    .map(([name, value]) => `${name} ${shortened(String(value))}`)
    .join(' · ')

const shortened = (text: string): string => (text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text)
