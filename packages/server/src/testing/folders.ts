import { tmpdir } from 'node:os'

/** Name the folders of this run of tests, which go when the run is over. */
export const quickFolderVariable = 'TEST_QUICK_FOLDER'
export const worldsFolderVariable = 'TEST_WORLDS_FOLDER'

/** Where databases and the like of tests lie: nothing there is ever run as a program. */
export const quickFolder = (): string => process.env[quickFolderVariable] ?? tmpdir()

/** Where the data directories of worlds lie, in which programs run. */
export const worldsFolder = (): string => process.env[worldsFolderVariable] ?? tmpdir()
