import type { Theme } from 'vitepress'
import usual from 'vitepress/theme'
import { Diagram } from './diagram.ts'
import './diagram.css'

export default {
  extends: usual,
  enhanceApp: ({ app }) => void app.component('Diagram', Diagram),
} satisfies Theme
