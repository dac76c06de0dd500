import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: 'src/index.ts',
  platform: 'neutral',
  target: 'es2022',
  // Reads all files of the bundled contract first, because its types are inferred.
  dts: { eager: true },
  deps: { alwaysBundle: [/^@sluice\//] },
})
