/** In which forms an answer is printed. */
export const outputs = ['table', 'json', 'yaml', 'name'] as const
export type Output = (typeof outputs)[number]

/** How a command tells what it did: to people, or with `--output` only what it was about, for programs. */
export type Style = { output?: Output }

/** Whether all of an answer is printed; a table and names are the rows of a list alone. */
export const isComplete = ({ output }: Style): boolean => output === 'json' || output === 'yaml'
