import type { DeploymentSource } from '@sluice/contract'

/** So much of a commit tells it from others. */
const shortLength = 8

export const shortCommit = (commit: string): string => commit.slice(0, shortLength)

/** The first line of what the author says of the commit. */
export const titleOf = ({ message }: DeploymentSource): string | undefined =>
  message?.trim().split('\n')[0] || undefined

/** What a release was made of, as a list tells it: `0a1b2c3d Add the cart, by Ada`; undefined without a commit. */
export function sourceLine(source: DeploymentSource | undefined): string | undefined {
  if (source?.commit === undefined) return undefined
  const change = [shortCommit(source.commit), titleOf(source)].filter(Boolean).join(' ')
  return source.author === undefined ? change : `${change}, by ${source.author}`
}
