import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: 'src/index.ts',
  platform: 'neutral',
  target: 'es2022',
  // Of the contract, which is bundled, all files are read first: its types are written nowhere, but inferred.
  dts: { eager: true },
  deps: { alwaysBundle: [/^@sluice\//] },
})
