import { tmpdir } from 'node:os'

/** Names the folder of this run of tests, which goes when the run is over. */
export const quickFolderVariable = 'TEST_QUICK_FOLDER'

/** Where databases and the like of tests lie: nothing there is ever run as a program. */
export const quickFolder = (): string => process.env[quickFolderVariable] ?? tmpdir()
