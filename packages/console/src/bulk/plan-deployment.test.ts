import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { type DeployInput, type VersionInputs, versionInputs } from './plan-deployment.ts'

const image = { id: 'image_ref', type: 'string', required: true }
const marks = { image: 'registry.example:5000/shop/web:2.0.0@sha256:0c4f' }
const outcome = (
  inputs: DeployInput[] | undefined,
  version = '2.1.0',
  of: typeof marks | undefined = marks,
): VersionInputs => versionInputs({ inputs, marks: of }, version)

test(
  'a version becomes the image that runs, with another tag, or the value of a version input',
  everyCase<[VersionInputs, VersionInputs | { reason: unknown }]>(
    [
      [outcome([image]), { inputs: { image_ref: 'registry.example:5000/shop/web:2.1.0' } }],
      [
        outcome([image, { id: 'note', type: 'string' }]),
        { inputs: { image_ref: 'registry.example:5000/shop/web:2.1.0' } },
      ],
      [outcome([image], 'sha256:beef'), { inputs: { image_ref: 'registry.example:5000/shop/web@sha256:beef' } }],
      [outcome([{ id: 'app_version' }], '7', undefined), { inputs: { app_version: '7' } }],
      [
        versionInputs({ inputs: [image], marks: undefined }, '1'),
        { reason: expect.stringContaining('repository is unknown') },
      ],
      [outcome([image, { id: 'tenant', required: true }]), { reason: expect.stringContaining('also requires tenant') }],
      [outcome([image, { id: 'tag' }]), { reason: expect.stringContaining('no single input') }],
      [outcome([{ id: 'replicas', type: 'number' }]), { reason: expect.stringContaining('no single input') }],
      [outcome(undefined), { reason: 'Its module deploys nothing.' }],
    ],
    (planned, expected) => expect(planned).toEqual(expected),
  ),
)
