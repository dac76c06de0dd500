/** Parses CPU units, such as `512` or `.5 vCPU`. Undefined for other text. */
export const cpuUnits = (text: string) => amount(text, 'vcpu')

/** Parses memory in MiB, such as `2048` or `2 GB`. */
export const memoryMiB = (text: string) => amount(text, 'gb')

function amount(text: string, unit: string): number | undefined {
  const [, number = '', given] = /^(\d+|\d*\.\d+)\s*([a-z]+)?$/i.exec(text.trim()) ?? []
  if (number === '') return undefined
  if (given === undefined) return Number.isInteger(Number(number)) ? Number(number) : undefined
  return given.toLowerCase() === unit ? Number(number) * 1024 : undefined
}
