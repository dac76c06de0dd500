import { tmpdir } from 'node:os'

/** Variables with the folders of this test run, which are deleted at its end. */
export const fastFolderVariable = 'TEST_FAST_FOLDER'
export const worldsFolderVariable = 'TEST_WORLDS_FOLDER'

/** Returns the fast folder for databases and the like. No programs run from there. */
export const fastFolder = (): string => process.env[fastFolderVariable] ?? tmpdir()

/** Returns the folder for data directories of test environments, from which programs run. */
export const worldsFolder = (): string => process.env[worldsFolderVariable] ?? tmpdir()
