import Type from 'typebox'
import { type Settings, url, urlExpected } from './kinds.ts'

/** Where what is over is kept out of the database. */
export const archiveSettings = {
  archiveDir: {
    env: 'SLUICE_ARCHIVE_DIR',
    type: Type.String({ minLength: 1 }),
    expected: 'a path',
    description:
      'Folder that takes the logs of steps that are over out of the database. All processes see the same one there.',
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
  archiveEndpoint: {
    env: 'SLUICE_ARCHIVE_ENDPOINT',
    type: url,
    expected: urlExpected,
    description: "Where the bucket is, if elsewhere than in the cloud: another store that speaks S3's protocol.",
  },
} as const satisfies Settings
