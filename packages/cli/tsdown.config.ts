import { defineConfig } from 'tsdown'
import { licences, modulesByAddress } from '../../scripts/bundling.ts'

export default defineConfig({
  entry: { sluice: 'src/packed.ts' },
  platform: 'node',
  target: 'node22',
  dts: false,
  // All of it: whoever installs the command line fetches one package, and a start opens a few files.
  deps: { alwaysBundle: [/./], onlyBundle: false },
  copy: [{ from: '../../docs/**/*.md', to: 'dist/docs' }], // what `mcp` offers agents to read
  minify: { compress: true, mangle: false },
  plugins: [modulesByAddress(), licences()],
})
