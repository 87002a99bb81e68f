import { createRoot } from "react-dom/client";
import { App } from "./shell/app.tsx";

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no #root");
createRoot(root).render(<App />);
