import type { BundledPolicy } from '@sluice/contract'

const image = { reference: 'ghcr.io/shop/web:1.2.0', registry: 'ghcr.io', repository: 'shop/web', tag: '1.2.0' }
const digest = `sha256:${'ab'.repeat(32)}`
const released = (...images: object[]) => ({ deployment: { images } })

/** What people start their own from: each is changed where it names registries, hours or names. */
export const bundledPolicies: BundledPolicy[] = [
  {
    id: 'allowed-registries',
    guards: 'DEPLOYMENTS',
    name: 'Allowed registries',
    description: 'Only images of these registries are released.',
    expression: "deployment.images.all(image, image.registry in ['ghcr.io', 'registry.example.com'])",
    message: 'Images come from ghcr.io or registry.example.com: push it there first.',
    effect: 'DENY',
    tests: [
      { name: 'ours', given: released(image), expect: 'ALLOWED' },
      { name: 'no image', given: released(), expect: 'ALLOWED' },
      {
        name: 'one of two is of another',
        given: released(image, { ...image, registry: 'docker.io' }),
        expect: 'VIOLATED',
      },
    ],
  },
  {
    id: 'no-latest-tag',
    guards: 'DEPLOYMENTS',
    name: 'No tag latest',
    description: 'What is released can be told by its tag, or is named by its digest.',
    expression: "deployment.images.all(image, has(image.digest) || image.tag != 'latest')",
    message: 'The tag latest is something else tomorrow: name a version, or the digest.',
    effect: 'DENY',
    tests: [
      { name: 'a version', given: released(image), expect: 'ALLOWED' },
      { name: 'latest', given: released({ ...image, tag: 'latest' }), expect: 'VIOLATED' },
      { name: 'latest of a digest', given: released({ ...image, tag: 'latest', digest }), expect: 'ALLOWED' },
    ],
  },
  {
    id: 'pinned-images',
    guards: 'DEPLOYMENTS',
    name: 'Images by digest',
    description: 'Every image is named by its digest, which nobody can move.',
    expression: 'deployment.images.all(image, has(image.digest))',
    message: 'Name the image by its digest: repository@sha256:….',
    effect: 'DENY',
    tests: [
      { name: 'a digest', given: released({ ...image, digest }), expect: 'ALLOWED' },
      { name: 'a tag', given: released(image), expect: 'VIOLATED' },
    ],
  },
  {
    id: 'office-hours',
    guards: 'DEPLOYMENTS',
    name: 'Office hours',
    description: 'Released is from Monday to Friday, from nine to five. Sunday is 0.',
    expression: [
      "now.getDayOfWeek('Europe/Berlin') in [1, 2, 3, 4, 5]",
      "now.getHours('Europe/Berlin') >= 9 && now.getHours('Europe/Berlin') < 17",
    ].join('\n&& '),
    message: 'It is released from Monday to Friday between 9:00 and 17:00 in Berlin, when somebody is there to look.',
    effect: 'DENY',
    tests: [
      { name: 'a Wednesday in summer', given: { now: '2026-07-01T07:00:00Z' }, expect: 'ALLOWED' },
      { name: 'too early in winter', given: { now: '2026-12-02T07:59:00Z' }, expect: 'VIOLATED' },
      { name: 'a Saturday', given: { now: '2026-07-04T10:00:00Z' }, expect: 'VIOLATED' },
    ],
  },
  {
    id: 'service-accounts-release-to-production',
    guards: 'DEPLOYMENTS',
    name: 'Only service accounts release to production',
    description: 'What is live was released by automation. A push that starts a run is nobody, and is let through.',
    expression: "environment.givenId != 'production' || starter.kind != 'PERSON'",
    message: 'Releases to production go through the pipeline that a push or a service account starts.',
    effect: 'DENY',
    tests: [
      {
        name: 'a person elsewhere',
        given: { environment: { givenId: 'staging' }, starter: { kind: 'PERSON' } },
        expect: 'ALLOWED',
      },
      {
        name: 'a person in production',
        given: { environment: { givenId: 'production' }, starter: { kind: 'PERSON' } },
        expect: 'VIOLATED',
      },
      {
        name: 'a service account in production',
        given: { environment: { givenId: 'production' }, starter: { kind: 'SERVICE_ACCOUNT' } },
        expect: 'ALLOWED',
      },
    ],
  },
  {
    id: 'gradual-in-production',
    guards: 'DEPLOYMENTS',
    name: 'Gradual releases in production',
    description: 'No release takes all traffic at once. What has no strategy, such as a site, is let through.',
    expression:
      "environment.givenId != 'production' || !has(deployment.strategy) || deployment.strategy != 'all_at_once'",
    message:
      'Releases to production are canary, linear, blue/green or rolling: change the strategy in the deploy block.',
    effect: 'WARN',
    tests: [
      {
        name: 'at once in production',
        given: { environment: { givenId: 'production' }, deployment: { strategy: 'all_at_once' } },
        expect: 'VIOLATED',
      },
      {
        name: 'canary in production',
        given: { environment: { givenId: 'production' }, deployment: { strategy: 'canary' } },
        expect: 'ALLOWED',
      },
      { name: 'a site', given: { environment: { givenId: 'production' }, deployment: {} }, expect: 'ALLOWED' },
    ],
  },
]
