import { failures, type UserFacingError } from '@sluice/contract'
import type { ExternalCommand } from '../../../../cloud/facts/ec2.ts'
import { present } from '../../../../platform/present.ts'
import type { FinishedRelease } from '../../external/finished-release.ts'
import { documentNameOf, type Ec2Definition, type Ec2Release } from './release.ts'

/** Matches the comments that `commentOf` creates. */
const isOwn = ({ comment }: ExternalCommand): boolean => /^sluice dep_\S+ \d+$/.test(comment)

/**
 * Returns the latest external command to the group since the last deployment; undefined while it is in progress.
 * `known` are the commands that have a deployment.
 */
export function findExternalCommand(
  release: Ec2Release,
  commands: readonly ExternalCommand[],
  { since, known }: { since: Date; known: ReadonlySet<string> },
): ExternalCommand | undefined {
  const document = documentNameOf(release)
  const [latest] = commands.filter((one) => one.documentName === document && !isOwn(one) && one.requestedAt > since)
  return latest?.isOver && !known.has(latest.commandId) ? latest : undefined
}

/** Returns the finished external deployment for a command that ran with these parameters. */
export function finishedExternally(release: Ec2Release, command: ExternalCommand): FinishedRelease<Ec2Release> {
  const { commandId, documentName, hasSucceeded } = command
  const definition = definitionIn(command) ?? release.definition
  const told = { ...release, definition }
  return {
    release: told,
    data: { documentName },
    externalDeploymentId: commandId,
    message: `The remote command ${commandId} was run from outside.`,
    ...(!hasSucceeded && { error: failedOutside(command) }),
  }
}

function definitionIn({ parameters }: ExternalCommand): Ec2Definition | undefined {
  const first = (name: string) => parameters[name]?.[0] || undefined
  const [imageUri, commands, repo] = [first('imageUri'), first('commands'), first('sourceRepo')]
  if (imageUri !== undefined) return { runtime: 'container', imageUri }
  if (commands === undefined) return undefined
  const parts = { branch: first('sourceBranch'), ref: first('sourceRef'), basePath: first('sourceBasePath') }
  const source = repo === undefined ? {} : { source: { repo, ...present(parts) } }
  return { runtime: 'manual', commands: commands.split('\n'), ...source }
}

const failedOutside = ({ commandId, errorCount }: ExternalCommand): UserFacingError => ({
  code: failures.instancesFailed.code,
  message: `The remote command ${commandId}, which was sent from outside, did not succeed; ${errorCount} instances failed.`,
  description: 'Instances may run either release. Deploy again.',
})
