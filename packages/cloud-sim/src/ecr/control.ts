import { createHash } from 'node:crypto'
import { arnIn } from '../arns.ts'
import type { ControlBodies } from '../control-bodies.ts'
import { badRequest, type ControlRoutes } from '../control-routes.ts'
import { configurationAt } from './manifests.ts'
import { registryKey } from './registry.ts'
import { ecr } from './state.ts'

/**
 * Control routes for images. The registry protocol is not simulated: images are declared, or pushed to a registry
 * process.
 */
export const ecrControl: ControlRoutes = {
  'PUT registry': ({ world, body }) => {
    const { endpoint } = body as ControlBodies['registry']
    if (!URL.canParse(endpoint)) throw badRequest('endpoint must be a URL.')
    ecr(world).registries.save({ key: registryKey, endpoint })
  },
  'GET layers/{digest}': ({ world, labels: { digest = '' } }) => configurationAt(world, digest),
  'PUT repositories': ({ world, body }) => {
    const { account, region, name, images } = body as ControlBodies['repository']
    if (!/^\d{12}$/.test(account) || !region || !name) {
      throw badRequest('account must be twelve digits, and region and name be given.')
    }
    const scope = `${region}:${account}`
    const key = arnIn(scope, 'ecr', `repository/${name}`)
    const createdAt = world.clock.timestamp()
    ecr(world).repositories.save({
      key,
      scope,
      name,
      createdAt,
      images: images.map(({ tags, secondsAgo, bytes = 50_000_000, architectures }, index) => ({
        digest: `sha256:${createHash('sha256')
          .update(`${key} ${index} ${tags.join(' ')}`)
          .digest('hex')}`,
        tags,
        pushedAt: createdAt - secondsAgo * 1000,
        bytes,
        ...(architectures && { architectures }),
      })),
    })
  },
}
