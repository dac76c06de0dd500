import type { BundledPolicy } from '@sluice/contract'

const image = { reference: 'ghcr.io/shop/web:1.2.0', registry: 'ghcr.io', repository: 'shop/web', tag: '1.2.0' }
const digest = `sha256:${'ab'.repeat(32)}`
const planned = (...changes: object[]) => ({ plan: { changes } })
const bucket = (acl: string) =>
  planned({ action: 'CREATE', type: 'cloud_bucket_acl', after: [{ path: 'acl', value: acl }] })
const released = (...images: object[]) => ({ deployment: { images } })

const rehearsed = (status: string) => ({
  environment: { givenId: 'production' },
  deployment: { type: 'cloud:ecs' },
  release: { rehearsal: { status } },
})

/** Templates for policies, whose registries, hours and names have to be adapted. */
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
    description: 'What is released has a tag that identifies it, or is named by its digest.',
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
    description: 'Every image is named by its digest, which cannot be moved.',
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
    message: 'It is released from Monday to Friday between 9:00 and 17:00 in Berlin, when people are available.',
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
    description: 'What is live was released by automation. A run that a push starts has no user, and is allowed.',
    expression: "environment.givenId != 'production' || starter.kind != 'USER'",
    message: 'Releases to production go through the pipeline that a push or a service account starts.',
    effect: 'DENY',
    tests: [
      {
        name: 'a person elsewhere',
        given: { environment: { givenId: 'staging' }, starter: { kind: 'USER' } },
        expect: 'ALLOWED',
      },
      {
        name: 'a person in production',
        given: { environment: { givenId: 'production' }, starter: { kind: 'USER' } },
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
    description: 'No release takes all traffic at once. What has no strategy, such as a site, is allowed.',
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
  {
    id: 'rehearsed-in-production',
    guards: 'DEPLOYMENTS',
    name: 'Rehearsed releases in production',
    description:
      'Releases to production require that a rehearsal of exactly this release has passed. Most redeployments have none: deploy again with the same inputs.',
    expression: "environment.givenId != 'production' || release.rehearsal.status == 'PASSED'",
    message: 'Rehearse the release with the same inputs first: sluice rehearse.',
    effect: 'DENY',
    tests: [
      { name: 'a rehearsed one', given: rehearsed('PASSED'), expect: 'ALLOWED' },
      { name: 'one whose rehearsal failed', given: rehearsed('FAILED'), expect: 'VIOLATED' },
      { name: 'one without a rehearsal', given: rehearsed('NONE'), expect: 'VIOLATED' },
    ],
  },
  {
    id: 'no-deletion-of-databases',
    guards: 'PLANS',
    name: 'No deletion of databases',
    description: 'No plan deletes or replaces a resource that keeps data, identified by its type.',
    expression: [
      "plan.changes.all(change, !(change.action in ['DELETE', 'REPLACE'])",
      "  || !change.type.matches('database|(^|_)(db|rds|sql|dynamodb|docdb|elasticache|redis|spanner)(_|$)'))",
    ].join('\n'),
    message: 'The plan deletes or replaces a database, with all its data.',
    effect: 'DENY',
    tests: [
      { name: 'a new one', given: planned({ action: 'CREATE', type: 'cloud_db_instance' }), expect: 'ALLOWED' },
      { name: 'one that goes', given: planned({ action: 'DELETE', type: 'cloud_db_instance' }), expect: 'VIOLATED' },
      { name: 'one made anew', given: planned({ action: 'REPLACE', type: 'cloud_sql_database' }), expect: 'VIOLATED' },
      { name: 'something else', given: planned({ action: 'DELETE', type: 'cloud_role' }), expect: 'ALLOWED' },
    ],
  },
  {
    id: 'no-public-buckets',
    guards: 'PLANS',
    name: 'No public buckets',
    description: 'No bucket is made public. A value that is unknown until it is applied is a violation, too.',
    expression: [
      "plan.changes.all(change, change.action == 'DELETE' || !change.type.contains('bucket')",
      "  || !change.after.exists(attribute, attribute.path.matches('^(acl|member|members[.][0-9]+)$')",
      "    && attribute.value in ['public-read', 'public-read-write', 'allUsers', 'allAuthenticatedUsers']))",
    ].join('\n'),
    message: 'The plan makes a bucket public.',
    effect: 'DENY',
    tests: [
      { name: 'a private one', given: bucket('private'), expect: 'ALLOWED' },
      { name: 'an open one', given: bucket('public-read'), expect: 'VIOLATED' },
      { name: 'one that goes', given: planned({ action: 'DELETE', type: 'cloud_bucket' }), expect: 'ALLOWED' },
    ],
  },
  {
    id: 'few-deletions',
    guards: 'PLANS',
    name: 'Few deletions',
    description: 'No plan deletes or replaces more than five resources at once.',
    expression: 'plan.counts.delete + plan.counts.replace <= 5',
    message: 'The plan deletes more than five resources: split it, or override the policy.',
    effect: 'DENY',
    tests: [
      { name: 'five', given: { plan: { counts: { delete: 3, replace: 2 } } }, expect: 'ALLOWED' },
      { name: 'six', given: { plan: { counts: { delete: 6, replace: 0 } } }, expect: 'VIOLATED' },
    ],
  },
  {
    id: 'deploy-steps-ask',
    guards: 'PIPELINE_VERSIONS',
    name: 'Deploy steps ask',
    description: 'Every step that deploys asks for approval.',
    expression: "pipeline.steps.all(step, step.type != 'deploy' || step.asksApproval)",
    message: 'Give each deploy step an approval.',
    effect: 'WARN',
    tests: [
      { name: 'it asks', given: { pipeline: { steps: [{ type: 'deploy', asksApproval: true }] } }, expect: 'ALLOWED' },
      {
        name: 'it does not',
        given: { pipeline: { steps: [{ type: 'deploy', asksApproval: false }] } },
        expect: 'VIOLATED',
      },
    ],
  },
]
