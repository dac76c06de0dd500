import type { ImageBuildOrder } from '@sluice/contract/runner-protocol'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { imageOptions, mountsFiles } from './image.ts'
import { builderOn } from './image-machine.ts'

const machine = { isolation: 'none', isRoot: true, withoutRange: undefined, lacks: undefined } as const

test('images are built in sandboxes, else by root, and by a user with a range of ids', () => {
  for (const isRoot of [true, false]) expect(builderOn({ ...machine, isolation: 'bubblewrap', isRoot })).toBe('sandbox')
  expect(builderOn(machine)).toBe('root')
  expect(builderOn({ ...machine, isRoot: false })).toBe('range')
})

test(
  'no image is built without the isolation that it needs',
  everyCase(
    [
      [
        'in a sandbox without a range',
        { isolation: 'bubblewrap', withoutRange: '/etc/subuid gives root none' },
        '/etc/subuid',
      ],
      ['by a user without a range', { isRoot: false, withoutRange: '/etc/subuid gives ada none' }, '/etc/subuid'],
      ['without the tool', { lacks: 'buildah' }, 'buildah'],
    ] as const,
    (_, change, said) => {
      expect(builderOn({ ...machine, ...change })).toEqual({ missing: expect.stringContaining(said) })
    },
  ),
)

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

test(
  'only instructions with secrets keep their files out of layers',
  everyCase(
    [
      ['RUN make', false],
      ['RUN --mount=type=secret,id=NPM_TOKEN npm ci', false],
      ['RUN --mount=id=npm,target=/root/.npm,type=cache --network=host npm ci', false],
      ['RUN --mount=type=bind,source=.,target=/src make', true],
      ['RUN --mount=target=/src make', true],
      ['RUN --mount=type=cache,target=/c --mount=from=other,target=/o make', true],
      ['RUN --mount type=bind,target=/src make', true],
    ],
    (line, mounts) => {
      expect(mountsFiles(`FROM scratch\n${line}\n`)).toBe(mounts)
    },
  ),
)
