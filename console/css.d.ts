// Style sheets that Vite puts into the build.
declare module "*.css";
