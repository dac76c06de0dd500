import fc from 'fast-check'
import { testSeed } from './seed.ts'

// Every package resolves fast-check to the same copy. A failing property prints its seed.
fc.configureGlobal({ seed: testSeed })
