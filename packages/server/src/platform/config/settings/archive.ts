import Type from 'typebox'
import { type Settings, url, urlExpected } from './kinds.ts'

/** Settings of the archive for old records. */
export const archiveSettings = {
  archiveDir: {
    env: 'SLUICE_ARCHIVE_DIR',
    type: Type.String({ minLength: 1 }),
    expected: 'a path',
    description:
      'Folder that takes logs of steps, and what is long in old deployments, out of the database. All processes see the same one there.',
  },
  archiveBucket: {
    env: 'SLUICE_ARCHIVE_BUCKET',
    type: Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$' }),
    expected: 'the name of a bucket',
    description: "The same, in a bucket of S3, which is called with the server's own credentials.",
  },
  archiveRegion: {
    env: 'SLUICE_ARCHIVE_REGION',
    type: Type.String({ pattern: '^[a-z0-9-]{1,64}$' }),
    expected: 'the name of a Region, such as eu-west-1',
    description: 'The Region of the bucket.',
  },
  archiveDeploymentsAfterDays: {
    env: 'SLUICE_ARCHIVE_DEPLOYMENTS_AFTER_DAYS',
    type: Type.Integer({ minimum: 0, maximum: 36_500 }),
    default: 90,
    expected: 'a whole number of days from 0 to 36500',
    description:
      'With an archive: how long after its end a deployment that another one followed stays whole in the database.',
  },
  archiveEndpoint: {
    env: 'SLUICE_ARCHIVE_ENDPOINT',
    type: url,
    expected: urlExpected,
    description: "Where the bucket is, if elsewhere than in the cloud: another store that speaks S3's protocol.",
  },
} as const satisfies Settings
