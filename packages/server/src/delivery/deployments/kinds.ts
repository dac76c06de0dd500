import type { DeploymentType } from '@sluice/contract'
import { ec2 } from './ec2/kind.ts'
import { ecs } from './ecs/kind.ts'
import type { Kind } from './kind.ts'
import { lambda } from './lambda/kind.ts'
import { staticSite } from './static/kind.ts'

/** The types of deployment that there are. */
const kinds: Record<DeploymentType, Kind> = {
  'cloud:ecs': ecs,
  'cloud:ec2': ec2,
  'cloud:lambda': lambda,
  'cloud:static': staticSite,
}

/** The names of the types, for people. */
export const kindNames = Object.keys(kinds)

/** The type of that name, which may be anything that a module's author wrote. */
export const kindNamed = (type: string): Kind | undefined =>
  kindNames.includes(type) ? kinds[type as DeploymentType] : undefined

/** The type of a deployment. */
export const kindOf = ({ release }: { release: { type: DeploymentType } }): Kind => kinds[release.type]
