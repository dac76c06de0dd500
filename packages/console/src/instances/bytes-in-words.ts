const units = ['B', 'KiB', 'MiB', 'GiB'] as const

/** A size as people read it: `225 B`, `1.4 MiB`. */
export function bytesInWords(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1)
  const amount = bytes / 1024 ** power
  return `${power === 0 ? amount : amount.toFixed(1)} ${units[power]}`
}
