import type { Theme } from 'vitepress'
import usual from 'vitepress/theme'
import { Diagram } from './diagram.ts'
import './diagram.css'

export default {
  extends: usual,
  enhanceApp({ app }) {
    app.component('Diagram', Diagram)
    // By default, Vue logs an error in a page and the build continues with an empty page.
    app.config.throwUnhandledErrorInProduction = import.meta.env.SSR
  },
} satisfies Theme
