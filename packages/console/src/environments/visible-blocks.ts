/** Number of instances per request: small scrolls need no request, and viewers share cached answers. */
const blockSize = 60

/** Returns the blocks of IDs that contain the items at these positions. */
export function visibleBlocks(ids: readonly string[], positions: readonly number[]): string[][] {
  const isBlock = (block: number) => block * blockSize < ids.length
  const blocks = [...new Set(positions.map((position) => Math.floor(position / blockSize)))].filter(isBlock)
  return blocks.map((block) => ids.slice(block * blockSize, (block + 1) * blockSize))
}
