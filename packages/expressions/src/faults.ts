import { type Fault, Problem, pointOut } from './errors.ts'

/** More faults than these help nobody; a hostile value of a million would fill the memory. */
const maxFaults = 1000

/** Gathers what is wrong, so that all of it can be told at once. */
export class Faults {
  readonly found: Fault[] = []

  get areTooMany(): boolean {
    return this.found.length >= maxFaults
  }

  add(path: string, message: string): void {
    if (!this.areTooMany) this.found.push({ path, message })
  }

  /** What `work` makes of the text at `path`; undefined if it ran into a problem, which is a fault then. */
  guard<T>(path: string, text: string, work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      this.add(path, pointOut(text, error))
      return undefined
    }
  }
}

export const itemPath = (path: string, index: number): string => `${path}[${index}]`

export function memberPath(path: string, name: string): string {
  if (!/^[A-Za-z_]\w*$/.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === '' ? name : `${path}.${name}`
}
