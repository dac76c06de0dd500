/** CPU units of a task: a number of them, or `.5 vCPU`; undefined where the text is neither. */
export const cpuUnits = (text: string) => amount(text, 'vcpu')

/** Memory of a task in MiB: a number of them, or `2 GB`. */
export const memoryMiB = (text: string) => amount(text, 'gb')

function amount(text: string, unit: string): number | undefined {
  const [, number = '', given] = /^(\d+|\d*\.\d+)\s*([a-z]+)?$/i.exec(text.trim()) ?? []
  if (number === '') return undefined
  if (given === undefined) return Number.isInteger(Number(number)) ? Number(number) : undefined
  return given.toLowerCase() === unit ? Number(number) * 1024 : undefined
}
