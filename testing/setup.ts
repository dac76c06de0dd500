import fc from 'fast-check'
import { testSeed } from './seed.ts'

// Every package resolves fast-check to the same copy. A property that fails prints its seed.
fc.configureGlobal({ seed: testSeed })
