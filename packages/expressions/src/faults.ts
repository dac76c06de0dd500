import { Problem, pointOut, type TemplateIssue } from './errors.ts'

/** Maximum number of faults. More do not help, and a hostile value with a million would exhaust the memory. */
const maxFaults = 1000

/** Collects faults, so that all are reported at once. */
export class IssueCollector {
  readonly found: TemplateIssue[] = []

  get areTooMany(): boolean {
    return this.found.length >= maxFaults
  }

  add(path: string, message: string): void {
    if (!this.areTooMany) this.found.push({ path, message })
  }

  /** Returns the result of `work` for the text at `path`; undefined after a problem, which becomes a fault. */
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
