import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: { release: 'src/main.ts' },
  platform: 'node',
  target: 'node24',
  dts: false,
  // All of it: a host fetches the action and starts it, and installs nothing.
  deps: { alwaysBundle: [/./], onlyBundle: false },
})
