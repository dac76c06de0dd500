import type { DeploymentSource } from '@sluice/contract'

/** Characters of a commit hash that identify it. */
const shortLength = 8

export const shortCommit = (commit: string): string => commit.slice(0, shortLength)

/** Returns the first line of the commit message. */
export const commitTitle = ({ message }: DeploymentSource): string | undefined =>
  message?.trim().split('\n')[0] || undefined

/** Returns a summary such as `0a1b2c3d Add the cart, by Ada`; undefined without a commit. */
export function describeSource(source: DeploymentSource | undefined): string | undefined {
  if (source?.commit === undefined) return undefined
  const change = [shortCommit(source.commit), commitTitle(source)].filter(Boolean).join(' ')
  return source.author === undefined ? change : `${change}, by ${source.author}`
}
