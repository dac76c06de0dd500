import type { ImageBuildOrder } from '@sluice/contract/runner-protocol'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { selectBuilder } from './builder.ts'
import { createImageOptions, mountsFiles } from './image.ts'

const machine = { isolation: 'none', isRoot: true, idRangeProblem: undefined, missingTool: undefined } as const

test('images are built in a sandbox, by root, or by a user with a range of IDs', () => {
  for (const isRoot of [true, false])
    expect(selectBuilder({ ...machine, isolation: 'bubblewrap', isRoot })).toBe('sandbox')
  expect(selectBuilder(machine)).toBe('root')
  expect(selectBuilder({ ...machine, isRoot: false })).toBe('range')
})

test(
  'no image is built without the required isolation',
  everyCase(
    [
      [
        'sandbox without a range',
        { isolation: 'bubblewrap', idRangeProblem: '/etc/subuid gives root none' },
        '/etc/subuid',
      ],
      ['user without a range', { isRoot: false, idRangeProblem: '/etc/subuid gives ada none' }, '/etc/subuid'],
      ['missing tool', { missingTool: 'buildah' }, 'buildah'],
    ] as const,
    (_, change, said) => {
      expect(selectBuilder({ ...machine, ...change })).toEqual({ missing: expect.stringContaining(said) })
    },
  ),
)

test('no argument or secret is on the command line', () => {
  const order: ImageBuildOrder = {
    kind: 'build',
    publishedAs: 'image',
    source: { basePath: '.', files: {} },
    dockerfile: '-odd/Dockerfile',
    context: '.',
    target: 'web',
    isInjected: true,
    arguments: { STAGE: 'value-of-stage' },
    secrets: { TOKEN: 'value-of-token' },
  }
  const options = createImageOptions(order)
  expect(options.join(' ')).not.toContain('value-of')
  expect(options).toEqual(
    expect.arrayContaining(['--build-arg', '--env', 'STAGE', '--target', 'web', '--secret', 'id=TOKEN,env=TOKEN']),
  )
})

test(
  'bind mounts of a Dockerfile are detected',
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
