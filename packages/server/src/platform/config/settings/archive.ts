import Type from 'typebox'
import { type Settings, url, urlExpected } from './kinds.ts'

/** Settings of the archive for old records. */
export const archiveSettings = {
  archiveDir: {
    env: 'SLUICE_ARCHIVE_DIR',
    type: Type.String({ minLength: 1 }),
    expected: 'a path',
    description:
      'Directory for step logs and the details of old deployments, instead of the database. All processes must share it.',
  },
  archiveBucket: {
    env: 'SLUICE_ARCHIVE_BUCKET',
    type: Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$' }),
    expected: 'the name of a bucket',
    description: 'S3 bucket for the same archive. Sluice uses its own AWS credentials for it.',
  },
  archiveRegion: {
    env: 'SLUICE_ARCHIVE_REGION',
    type: Type.String({ pattern: '^[a-z0-9-]{1,64}$' }),
    expected: 'the name of a Region, such as eu-west-1',
    description: 'Region of the bucket.',
  },
  archiveDeploymentsAfterDays: {
    env: 'SLUICE_ARCHIVE_DEPLOYMENTS_AFTER_DAYS',
    type: Type.Integer({ minimum: 0, maximum: 36_500 }),
    default: 90,
    expected: 'a whole number of days from 0 to 36500',
    description: 'With an archive: days after its end until the details of a replaced deployment are archived.',
  },
  archiveEndpoint: {
    env: 'SLUICE_ARCHIVE_ENDPOINT',
    type: url,
    expected: urlExpected,
    description: 'Address of an S3-compatible store that contains the bucket, instead of Amazon S3.',
  },
} as const satisfies Settings
