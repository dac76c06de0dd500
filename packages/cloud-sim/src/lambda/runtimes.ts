/**
 * Runtimes with which functions can no longer be created or updated ("Lambda runtimes" in the developer guide, read
 * 2026-11).
 */
const retired = [
  'dotnet6',
  'dotnetcore1.0',
  'dotnetcore2.0',
  'dotnetcore2.1',
  'dotnetcore3.1',
  'go1.x',
  'java8',
  'nodejs',
  'nodejs4.3',
  'nodejs4.3-edge',
  'nodejs6.10',
  'nodejs8.10',
  'nodejs10.x',
  'nodejs12.x',
  'nodejs14.x',
  'nodejs16.x',
  'provided',
  'python2.7',
  'python3.6',
  'python3.7',
  'python3.8',
  'ruby2.5',
  'ruby2.7',
]

export const isRetired = (runtime: string): boolean => retired.includes(runtime)

/**
 * Reports whether a runtime or its successors support SnapStart ("Lambda SnapStart", developer guide, read 2026-11).
 */
export const hasSnapStart = (runtime: string): boolean => {
  const [, language = '', version = ''] = /^(java|python3\.|dotnet)(\d+)/.exec(runtime) ?? []
  return Number(version) >= (firstWithSnapStart[language] ?? Number.POSITIVE_INFINITY)
}

const firstWithSnapStart: Record<string, number> = { java: 11, 'python3.': 12, dotnet: 8 }
