import { defineConfig } from 'tsdown'
import { licences, modulesByAddress } from '../../scripts/bundling.ts'

export default defineConfig({
  entry: { sluice: 'src/packed.ts' },
  platform: 'node',
  target: 'node22',
  dts: false,
  // Bundles all dependencies, so that users install one package and a start opens few files.
  deps: { alwaysBundle: [/./], onlyBundle: false },
  copy: [{ from: '../../docs/**/*.md', to: 'dist/docs' }], // documentation for agents of `mcp`
  minify: { compress: true, mangle: false },
  plugins: [modulesByAddress(), licences()],
})
