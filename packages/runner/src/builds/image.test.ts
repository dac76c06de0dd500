import type { ImageBuildOrder } from '@sluice/contract/runner-protocol'
import { expect, test } from 'vitest'
import { imageOptions, missingForImages } from './image.ts'

const machine = { isolation: 'none', isRoot: true, lacks: undefined } as const

test('images are built where a range of user ids and the tool are', () => {
  expect(missingForImages(machine)).toBeUndefined()
})

test.each([
  ['in a sandbox', { isolation: 'bubblewrap' }, 'sandbox'],
  ['by another user than root', { isRoot: false }, 'root'],
  ['without the tool', { lacks: 'buildah' }, 'buildah'],
] as const)('no image is built %s, with nothing less instead', (_, change, said) => {
  expect(missingForImages({ ...machine, ...change })).toContain(said)
})

test('no value is on the command line', () => {
  const order: ImageBuildOrder = {
    ...{ kind: 'build', publishedAs: 'image', source: { basePath: '.', files: {} } },
    ...{ dockerfile: '-odd/Dockerfile', context: '.', target: 'web', isInjected: true },
    arguments: { STAGE: 'value-of-stage' },
    secrets: { TOKEN: 'value-of-token' },
  }
  const options = imageOptions(order)
  expect(options.join(' ')).not.toContain('value-of')
  expect(options).toEqual(
    expect.arrayContaining(['--build-arg', '--env', 'STAGE', '--target', 'web', '--secret', 'id=TOKEN,env=TOKEN']),
  )
})
