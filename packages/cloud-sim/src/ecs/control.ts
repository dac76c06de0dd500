import { regionAndAccountOf, scopeOfArn } from '../arns.ts'
import type { ControlBodies } from '../control-bodies.ts'
import { badRequest, type ControlRequest, type ControlRoutes } from '../control-routes.ts'
import { CloudError } from '../errors.ts'
import { behaviours } from './behaviour.ts'
import { credentialsOf } from './programs.ts'
import { remainingTasks } from './scheduler.ts'
import { describe } from './service-deployments.ts'
import { describeService } from './service-shape.ts'
import { ecs } from './state.ts'

/** Control routes for image and command rules and for inspecting services. */
export const ecsControl: ControlRoutes = {
  'PUT images': ({ world, body }) => {
    const { pattern, behaviour, times } = body as ControlBodies['image']
    if (!pattern) throw badRequest('pattern must be given.')
    if (!behaviours.includes(behaviour)) throw badRequest(`behaviour must be one of ${behaviours.join(', ')}.`)
    const there = ecs(world).imageRules.get(pattern)
    if (there) ecs(world).imageRules.remove(there)
    ecs(world).imageRules.save({ key: pattern, behaviour, times })
  },
  'DELETE images': ({ world }) => ecs(world).imageRules.clear(),
  'PUT tags': ({ world, body }) => {
    const { image, digest } = body as ControlBodies['tag']
    if (!image || image.includes('@')) throw badRequest('image must be an address with a tag.')
    if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw badRequest('digest must be sha256: and 64 hexadecimal digits.')
    ecs(world).imageTags.save({ key: image, digest })
  },
  'PUT commands': ({ world, body }) => {
    const { pattern, exitCode, seconds, times } = body as ControlBodies['command']
    if (!pattern) throw badRequest('pattern must be given.')
    if (exitCode !== undefined && !(exitCode >= 0 && exitCode <= 255)) {
      throw badRequest('exitCode must be a number from 0 to 255.')
    }
    if (seconds !== undefined && !(seconds >= 0)) throw badRequest('seconds must be a number of at least 0.')
    const there = ecs(world).commandRules.get(pattern)
    if (there) ecs(world).commandRules.remove(there)
    ecs(world).commandRules.save({ key: pattern, exitCode, seconds, times })
  },
  'DELETE commands': ({ world }) => ecs(world).commandRules.clear(),
  'GET task-credentials/{secret}': ({ world, labels: { secret = '' } }) => credentialsOf(world, secret),
  'GET services/{account}/{cluster}/{service}': viewService,
}

/** Returns everything about a service for inspection. */
function viewService({ world, labels: { account, cluster, service: name } }: ControlRequest) {
  const isWanted = (arn: string) =>
    regionAndAccountOf(scopeOfArn(arn)).account === account && arn.endsWith(`:service/${cluster}/${name}`)
  const service = [...ecs(world).services.all()].find(({ key }) => isWanted(key))
  if (!service)
    throw new CloudError('NotFound', `There is no service ${name} in cluster ${cluster} of account ${account}.`, 404)
  return {
    service: describeService(world, service, true),
    deployments: ecs(world)
      .serviceDeployments.having('service', service.key)
      .map((deployment) => describe(world, deployment)),
    tasks: service.live.flatMap((arn) => remainingTasks(world, arn)),
  }
}
