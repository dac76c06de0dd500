import type { Scope } from '../arns.ts'
import type { Behaviour } from '../ecs/behaviour.ts'
import type { World } from '../world.ts'
import { ssm } from './state.ts'

/** Creates a command document of which only the names of its parameters are known. */
export function importDocument(
  world: World,
  scope: Scope,
  { name, parameters }: { name: string; parameters: readonly string[] },
): void {
  const declared = parameters.map((parameter) => [parameter, { type: 'StringList', default: [] }])
  ssm(world).documents.save({
    key: `${scope} ${name}`,
    scope,
    name,
    owner: scope.split(':')[1] ?? '',
    parameters: Object.fromEntries(declared),
    schemaVersion: '2.2',
    steps: ['release'],
    versions: [''],
    defaultVersion: 1,
    tags: [],
    createdAt: world.clock.timestamp(),
  })
}

/** Sets the outcome of all commands of a deployment, also of those that run. */
export function importOutcome(world: World, deployment: string, behaviour: Behaviour): void {
  ssm(world).outcomes.save({ key: deployment, behaviour })
}

/** Creates a parameter. */
export function importParameter(world: World, scope: Scope, { name, value }: { name: string; value: string }): void {
  ssm(world).parameters.save({
    key: `${scope} ${name}`,
    scope,
    name,
    type: 'String',
    value,
    version: 1,
    tier: 'Standard',
    tags: [],
    changedAt: world.clock.timestamp(),
  })
}
